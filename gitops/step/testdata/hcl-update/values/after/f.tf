# set by promotions
image_uri         = "web:1.20" # keep
replica_count     = 30000000
enable_monitoring = true

resource "aws_lambda_function" "app" {
  image_uri = "web:1.20"
  role      = aws_iam_role.app.arn
}
