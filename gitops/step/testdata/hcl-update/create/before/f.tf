# set by promotions
image_uri         = "web:1.10" # keep
replica_count     = 3
enable_monitoring = false

resource "aws_lambda_function" "app" {
  image_uri = "web:1.10"
  role      = aws_iam_role.app.arn
}
